"""The data of Label Studio: a project of 15,000 tasks, and a small one in another organization."""

from django.core.management import call_command
from organizations.models import Organization
from projects.models import Project
from tasks.models import Task
from users.models import User

TASKS, SOME_TASKS, OWN_TASKS, PROJECTS = 15_000, 200, 30, 60
LABELS = (
    '<View><Text name="text" value="$text"/><Choices name="kind" toName="text">'
    '<Choice value="question"/><Choice value="answer"/></Choices></View>'
)


def fill():
    call_command("migrate", verbosity=0)
    root = _user("root", is_superuser=True)
    _project(root, "large", TASKS)
    _project(root, "medium", SOME_TASKS)
    for number in range(PROJECTS):
        _project(root, f"small {number}", 0)
    _project(_user("limited"), "own", OWN_TASKS)
    User.objects.get_or_create(email="nothing@example.com", defaults={"username": "nothing"})
    return {"tasks": Task.objects.count()}


def _user(name, **more):
    """Return a user with an organization."""
    user, _ = User.objects.get_or_create(
        email=f"{name}@example.com", defaults={"username": name, **more}
    )
    if user.active_organization is None:
        user.active_organization = Organization.create_organization(created_by=user, title=name)
        user.save()
    return user


def _project(owner, title, count):
    project, _ = Project.objects.get_or_create(
        title=title,
        organization=owner.active_organization,
        defaults={"created_by": owner, "label_config": LABELS},
    )
    numbers = range(project.tasks.count(), count)
    tasks = [
        Task(project=project, data={"text": f"Question {number}, in some words."}, inner_id=number)
        for number in numbers
    ]
    Task.objects.bulk_create(tasks, batch_size=500)
