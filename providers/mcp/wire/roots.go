package wire

// SetRoots replaces the folders that the server may ask for, and announces that
// they have changed, if they have and if it was told that it may ask.
func (c *Connection) SetRoots(roots []string) {
}
