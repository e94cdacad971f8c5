"""Growing a tree: criteria, split search, stopping rules, recipes, engine protocol and growth loop."""
