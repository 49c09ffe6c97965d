"""Files and folders on disk: arrays, records, locks and versions."""
