"""Whether answers that are read say what people's answers say."""
