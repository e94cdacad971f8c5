"""Tables in partitions, which lie on the workers of a cluster: Dask, Spark, and what partitions tell."""
