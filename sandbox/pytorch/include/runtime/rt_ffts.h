// Stands in for a CANN header that some bindings include and do not use.
