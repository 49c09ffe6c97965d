"""Text as tokens: vocabulary, canonical form, numbers."""
