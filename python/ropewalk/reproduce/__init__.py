"""The experiments of the paper "A Convex Formulation of Compliant Contact between Filaments and Rigid Bodies", run again.

``python -m ropewalk.reproduce`` runs them with our engine and with the baselines, and writes one page that has, for each
table and figure of the paper, its numbers next to ours and those of others (``docs/reproduce.md``).

- :mod:`~ropewalk.reproduce.form`, :mod:`~ropewalk.reproduce.runs`, :mod:`~ropewalk.reproduce.schedule`: what is run, how
  long, and what is kept of it.
- One module for each experiment and each baseline, listed in :mod:`~ropewalk.reproduce.registry`: its ``runs(form)`` are run
  each in a process of its own, and its ``section(form, results)`` says what came out.
- :mod:`~ropewalk.reproduce.paper`, :mod:`~ropewalk.reproduce.claims`: the paper's numbers and claims.
- :mod:`~ropewalk.reproduce.report`: the page.
"""
