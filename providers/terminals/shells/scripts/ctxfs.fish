# Marks where prompts and commands begin and end, for ctxfs. Fish reads this
# after the user's own files (--init-command). Handlers of events keep $status.

if set -q CTXFS_NONCE
    set -g __ctxfs_nonce $CTXFS_NONCE
    set -e CTXFS_NONCE

    function __ctxfs_prompt --on-event fish_prompt
        set -l cwd (string escape --style=url -- $PWD)
        printf '\e]133;A;ctx=%s;cwd=%s\a\e]7;file://%s%s\a' $__ctxfs_nonce $cwd $hostname $cwd
    end

    # Marks are cut at 8 KiB.
    function __ctxfs_command --on-event fish_preexec
        set -l text (string sub --length 8192 -- $argv[1] | string collect)
        printf '\e]133;C;ctx=%s;cwd=%s;cmdline_url=%s\a' $__ctxfs_nonce (string escape --style=url -- $PWD) (string escape --style=url -- $text | string collect)
    end

    function __ctxfs_end --on-event fish_postexec
        printf '\e]133;D;%s;ctx=%s\a' $status $__ctxfs_nonce
    end
end
