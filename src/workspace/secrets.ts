import picomatch from "picomatch";

/** Templates that people commit to document the expected variables, and public keys. */
const EXAMPLES = [
    ".env{.,-}{example,sample,template,dist,defaults}",
    "{example,sample,template}.env",
    "*.pub",
];

const SECRETS = [
    ".env",
    ".env.*",
    ".env-*",
    "*.env",
    ".envrc",
    // Private keys.
    "id_{rsa,dsa,ecdsa,ed25519}*",
    "*.{pem,key,ppk,p8,p12,pfx,asc,gpg}",
    // Keystores and password vaults.
    "*.{jks,keystore,bks,kdbx,kdb}",
    // Credential stores of well-known programs.
    ".{npmrc,netrc,pgpass,pypirc,htpasswd,dockercfg,my.cnf,s3cfg,boto,git-credentials}",
    "{_netrc,.yarnrc-credentials,.vault-token,.terraformrc,terraform.rc}",
    "{secrets,credentials}.{json,yml,yaml,toml}",
    "{service-account,service_account}*.json",
    "*.tfvars",
    "*.tfstate{,.backup}",
    "{auth.json,kubeconfig,*.kubeconfig}",
    ".{bash,zsh,sh,python,node_repl,psql,mysql}_history",
];

const SECRETS_IN_FOLDERS = [
    "**/.aws/{credentials,config}",
    "**/.docker/config.json",
    "**/.kube/config",
    "**/.config/gh/hosts.yml",
    "**/.cargo/credentials{,.toml}",
    "**/.gem/credentials",
    "**/.gnupg/**",
    "**/.config/gcloud/**",
];

const OPTIONS = { dot: true, nocase: true };
let matchers: ReturnType<typeof compile> | undefined;

/** Whether a file probably contains a secret, judging by its name alone. */
export function looksSecret(path: string): boolean {
    // Compiled lazily to keep startup fast.
    matchers ??= compile();
    const { isExample, isSecret, isSecretPlace } = matchers;
    const name = path.slice(path.lastIndexOf("/") + 1);
    return (isSecret(name) && !isExample(name)) || isSecretPlace(path);
}

function compile() {
    return {
        isExample: picomatch(EXAMPLES, OPTIONS),
        isSecret: picomatch(SECRETS, OPTIONS),
        isSecretPlace: picomatch(SECRETS_IN_FOLDERS, OPTIONS),
    };
}
