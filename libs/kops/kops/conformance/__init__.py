"""One row of sample arguments per op, and the suite that checks every engine with them."""
