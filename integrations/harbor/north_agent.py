"""North as an installed agent of Harbor (https://harborframework.com/docs/agents).

    harbor run --dataset terminal-bench@2.0 --model anthropic/claude-sonnet-5-5 \
        --agent-import-path north_agent:North
"""

import json
import os
import shlex

from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template

RESULT = "/logs/agent/result.json"
TRAJECTORY = "/logs/agent/trajectory.json"
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL")
INSTALL = """
set -eo pipefail
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'
then
    apt-get update
    apt-get install --yes curl ca-certificates
    curl -fsSL https://deb.nodesource.com/setup_22.x | bash -
    apt-get install --yes nodejs
fi
command -v git >/dev/null || { apt-get update; apt-get install --yes git; }
npm install --global north-cli@{version}
"""


class North(BaseInstalledAgent):
    SUPPORTS_ATIF = True

    @staticmethod
    def name():
        return "north"

    def get_version_command(self):
        return "north --version"

    async def install(self, environment):
        version = self._version or "latest"
        await self.exec_as_root(environment, command=INSTALL.replace("{version}", version))

    @with_prompt_template
    async def run(self, instruction, environment, context):
        """The task's container is made for it, so that commands run for real."""
        model = ["--model", self.model_name] if self.model_name else []
        words = ["north", "chat", "-p", "--accept-edits", "--approve-shell", "--contain", "external"]
        words += ["--output-format", "json", *model, "--", instruction]
        # A run that reached a limit exits with 1 and has a result all the same.
        await self.exec_as_agent(
            environment,
            command=f"{shlex.join(words)} </dev/null >{RESULT} || test -s {RESULT}",
            env={key: os.environ[key] for key in KEYS if key in os.environ},
        )
        export = (
            f"id=$(node -p 'JSON.parse(fs.readFileSync(\"{RESULT}\")).conversationId') && "
            f'north conversations export "$id" --format atif --force -o {TRAJECTORY}'
        )
        await self.exec_as_agent(environment, command=export)

    def populate_context_post_run(self, context):
        file = self.logs_dir / "result.json"
        if not file.exists():
            return
        result = json.loads(file.read_text())
        usage = result["usage"]
        cached = usage["cacheReadTokens"]
        written = usage["cacheWriteTokens"] + usage["cacheWriteLongTokens"]
        context.n_input_tokens = usage["inputTokens"] + cached + written
        context.n_cache_tokens = cached
        context.n_output_tokens = usage["outputTokens"]
        context.cost_usd = result["costUsd"]
        context.metadata = {"stop_reason": result["stopReason"]}
