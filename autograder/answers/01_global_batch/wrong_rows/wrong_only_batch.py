# fails: wrong_rows_small_table, wrong_rows_published
# says: missed: ['rate too high at the end', 'rate too low at the start']
def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ("batch_low", "batch_high"):
            if abs(row["printed_" + ending] - row["published_" + ending]) > 0.1 * row["published_" + ending]:
                names.add(row["model"])
    return names
