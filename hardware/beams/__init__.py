"""The two light barriers at the fence: driver, debounce and fault detection, passages from edges."""
