"""The engine beside every other way to the same table: `make bench-engine`.

`survey` what they all count; `way` what a way is; `ours`, `bare_product` and `with_…` the ways, in
rooms of their own so that none pays for another's imports; `measuring` one of them at one size;
`apart` a process for it alone; `memory` what that takes; `faces` what only we are asked; `aims`
what we want to reach; `report` what is printed.
"""
