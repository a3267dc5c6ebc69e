# fails: quiz_accumulation_choice
# says: F does not hold: It multiplies two averages over the batch, and a product of averages is not the average of the products.
answer_quiz_accumulation = "acfg"
