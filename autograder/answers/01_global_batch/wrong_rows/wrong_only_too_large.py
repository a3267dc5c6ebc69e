# fails: wrong_rows_small_table, wrong_rows_published
# says: missed: ['batch too low at the start', 'rate too low at the start']
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ENDINGS:
            if row["printed_" + ending] - row["published_" + ending] > 0.1 * row["published_" + ending]:
                names.add(row["model"])
    return names
