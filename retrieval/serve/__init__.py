"""The index over HTTP: questions, answers as they are told, documents in, and what a server must watch."""
