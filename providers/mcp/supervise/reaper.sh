# Ends the process groups of servers after the end of the process that started
# them. A line of the input is a group, for how many seconds it may go on then,
# or "-" where it has ended, and for how many seconds after SIGTERM. The input
# ends with that process.
trap '' HUP INT TERM
all=' '
while read -r group seconds ending; do
	case $all in
	*" $group:"*)
		rest=${all#*" $group:"}
		all="${all%%" $group:"*} ${rest#* }"
		;;
	esac
	[ "$seconds" = - ] || all="$all$group:$seconds:$ending "
done
for one in $all; do
	(
		group=${one%%:*} ending=${one##*:}
		left=${one#*:} left=${left%:*}
		while [ "$left" -gt 0 ] && kill -0 "-$group"; do
			left=$((left - 1))
			sleep 1
		done
		kill -TERM "-$group"
		while [ "$ending" -gt 0 ] && kill -0 "-$group"; do
			ending=$((ending - 1))
			sleep 1
		done
		kill -KILL "-$group"
	) 2>/dev/null &
done
