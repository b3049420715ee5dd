SELECT epoch, stamp FROM key_epoch
