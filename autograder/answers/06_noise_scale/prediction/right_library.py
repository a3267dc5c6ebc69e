laws = {share: noise_scale.predicted_law(*record, 32) for share, record in records.items()}
prediction = {share: torch.tensor(s_min + e_min / 512) for share, (s_min, e_min) in laws.items()}
