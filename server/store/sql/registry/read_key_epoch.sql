SELECT epoch FROM key_epoch
