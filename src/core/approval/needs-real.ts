/** Programs that always act outside the project. */
const OUTSIDE =
    /^(?:sudo|doas|su|pkexec|docker|docker-compose|podman|kubectl|helm|ssh|scp|sftp|rsync|systemctl|service|launchctl|gh|glab|curl|wget|apt|apt-get|brew|dnf|yum|apk|pacman|snap|terraform|ansible|aws|gcloud|az|heroku|vercel|kill|pkill|killall|crontab)$/;

/** Programs whose subcommand decides. */
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
    git: /^(?:push|pull|fetch|clone|ls-remote)$/,
    npm: /^(?:install|i|ci|add|update|upgrade|publish|login|outdated|audit|view)$/,
    pnpm: /^(?:install|i|add|update|up|publish|outdated|audit|dlx)$/,
    yarn: /^(?:install|add|upgrade|up|publish|outdated|audit|dlx)$/,
    bun: /^(?:install|i|add|update|publish|x)$/,
    pip: /^(?:install|download|search)$/,
    pip3: /^(?:install|download|search)$/,
    uv: /^(?:sync|add|pip|tool|lock)$/,
    poetry: /^(?:install|add|update|publish|lock)$/,
    cargo: /^(?:install|add|publish|update|fetch|search|login)$/,
    go: /^(?:get|install)$/,
    gem: /^(?:install|update|push)$/,
    bundle: /^(?:install|update)$/,
    composer: /^(?:install|update|require)$/,
};

/**
 * What a command is known to need that containment lacks, as the end of "It needs ...", so that it
 * need not be tried. A guess by the first words of its parts; others are found when they fail.
 */
export function needBeyondContainment(command: string): string | undefined {
    if (/(?<![&>\d])&\s*$/.test(command)) return "to run in the background";
    for (const part of command.split(/&&|\|\||[;|\n]/, 50)) {
        const words = part.trim().split(/\s+/, 20);
        const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
        const [program = "", ...rest] = words.slice(Math.max(first, 0));
        if (OUTSIDE.test(program)) return `what ${program} does outside the project`;
        const subcommand = rest.find((word) => !word.startsWith("-"));
        if (subcommand !== undefined && SUBCOMMANDS[program]?.test(subcommand)) {
            return `the network, for ${program} ${subcommand}`;
        }
    }
    return undefined;
}
