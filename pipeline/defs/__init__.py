"""Assets, checks, partitions, resources, jobs, sensor and schedule; a file each."""
