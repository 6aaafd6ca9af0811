# Completion of landgo's command line in fish. landgo says what may come next; where it
# says nothing, a file may.
function __landgo_offers
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l offers ($words[1] __complete $words[2..] "$typed" 2>/dev/null | string match -v :more)
    if test (count $offers) -gt 0
        printf '%s\n' $offers
    else
        __fish_complete_path "$typed"
    end
end
complete -c landgo -f -a '(__landgo_offers)'
