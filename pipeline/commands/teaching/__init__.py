"""Commands that make something of what people ask and say."""
