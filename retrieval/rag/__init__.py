"""The interface for programs that ask on behalf of people: given a question, it returns chunks that answer it, or
none."""
