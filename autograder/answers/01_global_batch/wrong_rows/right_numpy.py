ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    printed = np.array([[row[f"printed_{ending}"] for ending in ENDINGS] for row in rows])
    published = np.array([[row[f"published_{ending}"] for ending in ENDINGS] for row in rows])
    off = (np.abs(printed - published) > 0.1 * published).any(axis=1)
    return set(np.array([row["model"] for row in rows])[off])
