def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ("batch_low", "batch_high", "rate_low", "rate_high"):
            printed, published = row["printed_" + ending], row["published_" + ending]
            if abs(printed - published) > 0.1 * published:
                names.add(row["model"])
    return names
