"""Tables and what describes them: schema, columns, targets and weights, and the readers of every source."""
