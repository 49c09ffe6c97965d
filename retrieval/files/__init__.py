"""Files and folders on disk: arrays, records, locks, clocks and versions."""
