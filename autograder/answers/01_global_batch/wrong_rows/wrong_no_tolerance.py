# fails: wrong_rows_small_table, wrong_rows_published
# says: wrongly accused: ['rounded']
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ENDINGS:
            if row["printed_" + ending] != row["published_" + ending]:
                names.add(row["model"])
    return names
