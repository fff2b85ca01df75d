"""Values of losses, metrics and optimizers, computed independently (float32), for the tests beside the code."""
