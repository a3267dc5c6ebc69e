from largebatch import scaling


def rescale_adam(*settings):
    return scaling.adam_square_root(*settings)
