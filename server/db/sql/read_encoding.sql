SELECT current_database(), current_setting('server_encoding')
