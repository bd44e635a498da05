"""The two light barriers at the fence: driver, debounce, fault detection, and passages from edges."""
