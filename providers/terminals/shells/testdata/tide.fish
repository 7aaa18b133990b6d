# What tide does: the prompt is made by another fish in the background, and drawn
# again when that has set a variable; fish_prompt is wrapped and renamed.
set -g tide_shown ''
function _tide_repaint --on-variable tide_shown
    commandline -f repaint
end
functions -e fish_prompt
function fish_prompt
    set -g tide_code $status
    if not set -q tide_pending
        set -g tide_pending 1
        set -g tide_shown (string repeat -n 3 .)
    end
    set_color green
    echo
    echo (prompt_pwd) $tide_code
    set_color normal
    echo -n 'ok> '
end
functions -c fish_prompt _tide_inner
function fish_prompt
    _tide_inner
end
function _tide_reset --on-event fish_postexec
    set -e tide_pending
end
