# fails: wrong_rows_published
# says: off: batch_low printed as 1.79 where 2 is published
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ENDINGS:
            if f"{row['printed_' + ending]:.0e}" != f"{row['published_' + ending]:.0e}":
                names.add(row["model"])
    return names
