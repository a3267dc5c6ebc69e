# fails: wrong_rows_small_table, wrong_rows_published
# says: missed: ['batch a little too high at the start', 'batch too high at the end', 'rate too high at the end']; wrongly accused: []
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ENDINGS:
            if row["published_" + ending] - row["printed_" + ending] > 0.1 * row["published_" + ending]:
                names.add(row["model"])
    return names
