"""Runs the adapter against a stub of Harbor's interface, with the program in this repository.

The stub has the methods of Harbor 0.20 that the adapter uses. A command runs here instead of in a container.
"""

import asyncio
import os
import pathlib
import subprocess
import sys
import types

bin_folder, logs = map(pathlib.Path, sys.argv[1:3])


class BaseInstalledAgent:
    def __init__(self, logs_dir, model_name=None):
        self.logs_dir, self.model_name, self._version = logs_dir, model_name, None

    async def exec_as_agent(self, environment, command, env=None):
        environment.append(command)
        merged = {**os.environ, **(env or {}), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        local = command.replace("/logs/agent", str(self.logs_dir))
        subprocess.run(["bash", "-c", f"set -o pipefail; {local}"], env=merged, check=True)

    exec_as_root = exec_as_agent


base = types.ModuleType("harbor.agents.installed.base")
base.BaseInstalledAgent = BaseInstalledAgent
base.with_prompt_template = lambda run: run
for name in ("harbor", "harbor.agents", "harbor.agents.installed"):
    sys.modules[name] = types.ModuleType(name)
sys.modules[base.__name__] = base

from north_agent import North  # noqa: E402

agent, context = North(logs, "offline"), types.SimpleNamespace()
asyncio.run(agent.run("list files", [], context))
agent.populate_context_post_run(context)
print(context.n_input_tokens, context.n_output_tokens, context.cost_usd, context.metadata["stop_reason"])
