import { argumentsOf, other, type Call, type Fact } from "./facts.js";

const ANY = /^/;
const PUBLISHES = "publishes";
const CLOUD = "deletes from the cloud";
const CLUSTER = "deletes from the cluster";
const INFRASTRUCTURE = "destroys infrastructure";
const DATABASE = "deletes from a database";
const PROCESSES = "stops processes";
const SERVICES = "stops services";
const SHUTDOWN = "shuts the machine down";
const DISK = "formats a disk";
const PACKAGES = "uninstalls packages from the machine";
const DOWNLOADS_AND_RUNS = "downloads and runs";

/** Program names, a pattern for their first words without options, and what they do. */
const RULES: readonly (readonly [programs: string, words: RegExp, does: string])[] = [
    ["pkill killall fuser", ANY, PROCESSES],
    ["systemctl", /^(stop|disable|mask|kill|restart)\b/, SERVICES],
    ["systemctl", /^(poweroff|reboot|halt)/, SHUTDOWN],
    ["service", / (stop|restart)\b/, SERVICES],
    ["launchctl", /^(unload|bootout|remove|stop)\b/, SERVICES],
    ["shutdown reboot poweroff halt", ANY, SHUTDOWN],
    ["mkfs wipefs fdisk sfdisk parted mkswap", ANY, DISK],
    ["diskutil", /^(erase|partition|zero|reformat)/i, DISK],
    ["kubectl k", /^(delete|drain)\b/, CLUSTER],
    ["kubectl k", /^rollout undo\b/, "changes the cluster"],
    ["oc", /^delete\b/, CLUSTER],
    ["helm", /^(uninstall|delete|rollback)\b/, CLUSTER],
    ["terraform tofu", /^(destroy|apply)\b/, INFRASTRUCTURE],
    ["terraform", /^state rm\b/, INFRASTRUCTURE],
    ["terragrunt", /^(destroy|apply|run-all)\b/, INFRASTRUCTURE],
    ["pulumi", /^(destroy|up)\b/, INFRASTRUCTURE],
    ["cdk", /^destroy\b/, INFRASTRUCTURE],
    ["aws", /^s3 (rm|rb)\b/, CLOUD],
    ["aws", /^\S+ (delete|terminate|remove|deregister)-/, CLOUD],
    ["gcloud", / delete\b/, CLOUD],
    ["gsutil", /^(rm|rb)\b/, CLOUD],
    ["az", / (delete|purge)\b/, CLOUD],
    ["doctl", / (delete|destroy)\b/, CLOUD],
    ["heroku", /^\S+:(destroy|reset)\b/, CLOUD],
    ["fly flyctl", / ?destroy\b/, CLOUD],
    ["vercel", /^(rm|remove)\b/, CLOUD],
    ["vercel", /^(?:deploy\b|$)/, PUBLISHES],
    ["cdk fly flyctl", /^deploy\b/, PUBLISHES],
    [
        "docker podman",
        /^(rm|rmi|system prune|volume (rm|prune)|image (rm|prune)|container (rm|prune))\b/,
        "deletes containers, images or volumes",
    ],
    [
        "docker podman",
        /^(stop|kill|restart|(container|compose) (stop|kill|down))\b/,
        "stops containers",
    ],
    ["docker podman helm", /^push\b/, PUBLISHES],
    ["gh", /^\S+ delete\b/, "deletes on GitHub"],
    [
        "gh",
        /^(release|pr|issue|repo|gist) (create|edit|merge|comment|close)\b/,
        "publishes on GitHub",
    ],
    ["dropdb dropuser", ANY, DATABASE],
    ["npm", /^(publish|unpublish|deprecate|dist-tag)\b/, PUBLISHES],
    ["pnpm vsce", /^(publish|unpublish)\b/, PUBLISHES],
    ["yarn", /^(npm )?publish\b/, PUBLISHES],
    ["pnpm yarn", /^dlx\b/, DOWNLOADS_AND_RUNS],
    ["bun poetry uv", /^publish\b/, PUBLISHES],
    ["cargo", /^(publish|yank)\b/, PUBLISHES],
    ["twine", /^upload\b/, PUBLISHES],
    ["gem", /^(push|yank)\b/, PUBLISHES],
    ["apt apt-get dnf yum brew", /^(remove|purge|autoremove|erase|uninstall)\b/, PACKAGES],
    ["scp sftp", ANY, "copies files to or from another machine"],
    ["userdel", ANY, "deletes a user"],
];

/** Options that only show help, a version or a preview. */
const HARMLESS = new Set(["--help", "--version", "--dry-run", "--dry-run=client", "-h"]);
const STATEMENTS = /\b(?:drop|delete\s+from|truncate|flushall|flushdb)\b/i;

/** What a program does, by its name and first words. */
export function otherFacts({ name, args }: Call): readonly Fact[] {
    if (args.some(({ text }) => HARMLESS.has(text))) return [];
    if (name === "kill") return sendsSignal(args.map(({ text }) => text)) ? [other(PROCESSES)] : [];
    if (name === "crontab") {
        return argumentsOf(args, "u").has("r") ? [other("deletes the crontab")] : [];
    }
    if (name.startsWith("mkfs.")) return [other(DISK)];
    if (name === "ssh") return remoteFacts(args.map(({ shown }) => shown));
    if (/^(psql|mysql|mariadb|sqlite3|redis-cli|mongosh|mongo|clickhouse-client)$/.test(name)) {
        return args.some(({ text }) => STATEMENTS.test(text.slice(0, 10_000)))
            ? [other(DATABASE)]
            : [];
    }
    const operands = argumentsOf(args, VALUED).operands.slice(0, 6);
    const text = operands.map((word) => word.text).join(" ");
    return RULES.flatMap(([programs, words, does]) =>
        programs.split(" ").includes(name) && words.test(text) ? other(does) : []
    );
}

/** Short options with a value that may precede a subcommand: `kubectl -n name delete`. */
const VALUED = "nCH";

/** `kill -0` only probes, `kill -l` only lists. */
function sendsSignal(args: readonly string[]): boolean {
    return args.length > 0 && !args.some((text) => /^-(?:0|l|L)$|^--(?:list|table)$/.test(text));
}

function remoteFacts(args: readonly string[]): readonly Fact[] {
    const valued = /^-[bcDEeFIiJLlmOopQRSWw]$/;
    const operands = args.filter(
        (text, index) => !text.startsWith("-") && !valued.test(args[index - 1] ?? "")
    );
    const [host] = operands;
    return host !== undefined && operands.length > 1 ? [other(`runs a command on ${host}`)] : [];
}
