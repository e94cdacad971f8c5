"""Tables that stay in a database: connections, dialects of SQL, and the columns of a table."""
