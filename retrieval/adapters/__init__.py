"""The index as other libraries ask for it: each of them is known to one file here, and needs its extra."""
