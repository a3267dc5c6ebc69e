# fails: steps_to_area_inside, steps_to_area_past, steps_to_area_properties
# says: two steps collect only 0.75: round up, or count the step that gets there
# says: 22 steps collect only 37
def steps_to_area(area, peak_rate, warmup_steps):
    steps = np.arange(1, 10_000)
    areas = np.cumsum(peak_rate * np.minimum(1, steps / max(warmup_steps, 1)))
    return int(np.argmax(areas >= area))
