"""Growing a tree: criteria, search, limits, the recipe, the protocol of an engine and the loop itself."""
