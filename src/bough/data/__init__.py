"""Tables, their schemas, targets and weights, and the readers of all kinds of data."""
