"""The operations as a client offers them: names for codes, checks, results, advice.

Each call is a generator, `(session, options, …) -> Flow[result]`, so that the blocking and the
asynchronous client run one and the same logic. Arguments that need no service to be found wrong
raise before the first step. Requests are built in `operations`; how a request goes (attempts,
deadlines, broken streams) is `flow`'s business.

Rooms: `asking` one request with advice, worded in `hints`; `names` names for codes, `attributes`
whether what a chart shows exists; one room for each group of operations that does more than ask:
`catalogue`, `queries`, `charts`, `insights`; and one for each call that is made of several:
`coverage`, `grids`, `grouping`, `overlapping`, `profiling`, `designing`.
"""
