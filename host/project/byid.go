package project

// ByID returns the open project of that ID.
func (r *Registry) ByID(id string) (*Project, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.open {
		if p.ID == id {
			return p, true
		}
	}
	return nil, false
}
