def off(row, ending):
    printed, published = row["printed_" + ending], row["published_" + ending]
    return abs(printed - published) > 0.1 * published


def wrong_rows(rows):
    ends = "batch_low", "batch_high", "rate_low", "rate_high"
    return {row["model"] for row in rows if any(off(row, end) for end in ends)}
