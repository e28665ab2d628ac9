"""Agents that play War, run from a checkout: scripted ones, trained ones, and how they are trained."""

# The experiments look for this, because another package of this name can be installed.
IS_WAR_ENV_AGENTS = True
