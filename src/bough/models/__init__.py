"""The interface of models, and the file format in which they are saved."""
