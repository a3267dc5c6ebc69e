def wrong_rows(rows):
    def fits(row, ending):
        return np.isclose(row["printed_" + ending], row["published_" + ending], rtol=0.1, atol=0)

    endings = [key.removeprefix("printed_") for key in rows[0] if key.startswith("printed_")]
    return frozenset(row["model"] for row in rows if not all(fits(row, ending) for ending in endings))
