package find

import (
	"strings"

	"ctxfs/providers/internal/words"
)

// synonymGroups are technical words that mean much the same in the name of a tool,
// one group a line. A word may be in several.
const synonymGroups = `
remove delete erase destroy drop discard purge
remove uninstall
clear reset empty wipe
create add new make insert
create build generate make produce
create open file raise
create register
add append attach
get fetch retrieve read obtain return load
get show view display see
get list
show present visualize
list all every enumerate browse
search find query lookup seek discover locate
update edit modify change set alter adjust revise
update upgrade
edit patch
write save store persist put record export
download fetch save
upload push attach import
send post publish deliver submit share
message mail email
message chat dm
run execute start launch invoke perform trigger call
stop cancel abort terminate kill end halt
close shut
check verify validate test inspect
check status state
analyze analysis analytics examine evaluate assess inspect insight
summarize summary abstract digest overview brief
compare comparison diff difference contrast versus
convert transform translate change export
compute calculate calculation calculator math evaluate arithmetic
estimate forecast predict prediction projection
merge combine join concat concatenate
split separate divide
move rename transfer relocate
copy duplicate clone
sort order rank
book reserve booking reservation schedule
buy purchase order
cost price pricing fee
count number total amount
recommend suggest recommendation suggestion advice
explain describe description
draw paint sketch
play start
crawl scrape extract
visit navigate open browse goto
reply respond answer comment
join enroll
approve accept confirm
reject decline deny refuse
enable activate turn
disable deactivate turn
login signin authenticate auth
user account member profile person people contact
team group organization org
repo repository project
pr pull
issue ticket bug task
task todo reminder
ticket booking
branch ref
commit revision changeset
file document doc
document docx word
folder directory dir path
picture image photo png jpg jpeg svg screenshot figure
screenshot capture snapshot
video movie film clip
music song audio track
audio sound wav mp3
website web site page webpage internet online
url link website address uri
http web request
db database sql table
sql query
row record entry
column field attribute
table sheet
spreadsheet excel xlsx xls csv sheet workbook
presentation powerpoint pptx ppt slide slideshow deck
pdf document
chart plot graph diagram figure visualization
map location geographic
flowchart diagram mermaid
text string content
note memo
memory remember recall
paper article publication research literature preprint
news headline article story
trend trending hot popular
popular top best
latest newest recent current
today current now daily
time date clock
calendar event appointment meeting schedule
reminder alarm
weather forecast temperature climate
stock share equity ticker
stock symbol
crypto cryptocurrency bitcoin btc ethereum eth coin token
currency exchange forex rate
money payment cash
finance financial investment
income revenue earnings profit
trip travel journey tour itinerary
route direction navigation commute path
place location address spot venue
near nearby nearest close around
hotel lodging accommodation rental
restaurant dining food eat
food meal dish recipe cook cuisine
train rail railway
car vehicle auto drive driving
bike bicycle cycling
plane flight airline
house home property apartment
job career position employment
company business corporation firm
customer client
product item
shop store
health medical medicine clinical
trial study clinical
disease illness condition
drug medication medicine
gene variant mutation
game gaming
code source program
library package dependency module
function method
bug error problem defect
log history
key secret credential
config configuration setting option preference
server host machine
container docker
deploy release
version release
test check
doc documentation docs guide manual
example sample demo
component element widget
icon symbol
css style
language locale
translate translation
random shuffle
phone call telephone mobile
sms text
label tag category
comment reply remark
review rating feedback
vote poll
subscribe follow
notification alert
size length
color colour
`

// synonyms are the words of synonymGroups by their stems, in the order of the
// groups.
func synonyms() map[string][]string {
	table := make(map[string][]string)
	for line := range strings.Lines(synonymGroups) {
		group := strings.Fields(line)
		for i := range group {
			group[i] = words.Stem(group[i])
		}
		for _, a := range group {
			for _, b := range group {
				if a != b {
					table[a] = append(table[a], b)
				}
			}
		}
	}
	return table
}
