# fails: wrong_rows_small_table, wrong_rows_published
# says: missed: ['batch a little too high at the start', 'batch too high at the end', 'batch too low at the start']; wrongly accused: []
def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ("rate_low", "rate_high"):
            if abs(row["printed_" + ending] - row["published_" + ending]) > 0.1 * row["published_" + ending]:
                names.add(row["model"])
    return names
