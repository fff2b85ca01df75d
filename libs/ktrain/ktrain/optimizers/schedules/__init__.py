"""Learning-rate schedules. Import the module that holds a name."""
